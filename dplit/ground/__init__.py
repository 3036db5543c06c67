"""What every room stands on: checks of arguments, files written whole, work that fans out, old names."""

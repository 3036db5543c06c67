"""What every room stands on: checks and errors, files, work that fans out, old names, printed cells."""

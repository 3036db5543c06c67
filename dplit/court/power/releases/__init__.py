"""Every release of `dplit.court.power`, a file for each family of forests."""

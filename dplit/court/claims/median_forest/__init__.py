"""Claims that :doc:`/book/median_forest` derives."""

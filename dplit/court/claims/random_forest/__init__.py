"""Claims that :doc:`/book/random_forest` derives."""

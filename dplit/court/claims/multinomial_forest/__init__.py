"""Claims that :doc:`/book/multinomial_forest` derives."""

"""Claims that :doc:`/book/multinomial` derives."""

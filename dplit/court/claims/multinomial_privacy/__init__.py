"""Claims that :doc:`/book/multinomial_privacy` derives."""

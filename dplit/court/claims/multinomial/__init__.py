"""Claims that :doc:`/book/multinomial` derives; the exact side lists all data sets of a few records, all votes."""

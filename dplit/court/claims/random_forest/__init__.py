r"""Claims that :doc:`/book/random_forest` derives; labels are by permute-and-flip, of :math:`\tau` trees."""

"""Stored runs of single chapters: each module computes its cells again, and writes them.

``python -m dplit.experiments.chapters.rivals data/results/consistency/rivals.json`` runs one of them.
"""

"""What judges: claims with their evidence, experiments, the bench, the audit and the attacks.

A fit needs none of it. Its packages are public without this name, too: ``dplit.claims`` is `dplit.court.claims`.
"""

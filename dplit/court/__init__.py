"""What judges: the claims with their evidence, the experiments, the bench, the audit and the attacks.

No fit and no law needs any of it. Each room is public by its own name, too: ``dplit.claims`` is
`dplit.court.claims`.
"""

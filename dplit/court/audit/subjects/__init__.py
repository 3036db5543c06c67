"""What ``dplit audit`` runs, by family: every mechanism and forest against its epsilon."""

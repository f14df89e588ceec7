"""What training and prediction cost, and what short cuts save."""

"""Cost of training and prediction, and savings of short cuts."""

"""What labellers and transforms share with the estimators of scikit-learn: settings, inputs as lists, tags."""

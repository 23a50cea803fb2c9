"""The company of a world: catalogue, staff, territories, customers and their contacts."""

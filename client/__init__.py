"""The reference client: speaks to a service over HTTP and knows only what openapi.yaml offers."""

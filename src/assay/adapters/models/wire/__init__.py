"""HTTP/1.1 to endpoints: connections, the pool of them, proxies."""

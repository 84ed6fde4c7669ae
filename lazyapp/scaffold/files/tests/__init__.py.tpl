"""The application as it is met: pages by people{% if mcp %}, tools by AI clients{% endif %}. `client` comes with lazyapp and starts it for each test."""

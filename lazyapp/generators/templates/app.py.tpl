    def ${name}_app(self) -> AppSpec:
        """A page inside the client: $view."""
        return AppSpec(
            name="$name",
            desc="$description",
            view="$name",
            use_layout=True,
            # The page loads nothing from elsewhere; name the origins here that it may use.
            csp=AppCSP(connect_domains=[], resource_domains=[]),
            permissions=AppPermissions(tools=["$module.$tool"]),
        )

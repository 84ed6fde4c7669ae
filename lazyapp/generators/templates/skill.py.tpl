    def ${name}_skill(self) -> SkillSpec:
        """The folder $folder/ beside this file."""
        return SkillSpec(path=Path(__file__).parent / "$folder")

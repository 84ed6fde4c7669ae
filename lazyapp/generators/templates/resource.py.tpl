$decorator
$signature
        """$sentence"""
$returned

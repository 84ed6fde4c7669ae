$decorator
$signature
$docstring
$returned

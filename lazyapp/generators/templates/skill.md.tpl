---
name: $folder
description: >-
  $description
---

# $title

Work in this order, and stop at the first step that explains what you see.

1. Look: call the tools of `$module`, and read what it offers as resources.
2. Compare what you found with what was asked.
3. Answer with the numbers you read before you say what you think.

Never guess what you cannot see.

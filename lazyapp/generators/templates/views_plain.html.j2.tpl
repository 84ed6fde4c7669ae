### index
{% set title = "$many_title" %}
<h1>$many_title</h1>

<ul id="$many">
  {% for $one in $many %}
  <li>{{ $one }}</li>
  {% else %}
  <li>None yet.</li>
  {% endfor %}
</ul>
$add_link
### show
{% set title = "$title " ~ id %}
<h1>{{ title }}</h1>
### new
{% set title = "Add $a_one" %}
<h1>{{ title }}</h1>

{% call(f) form_for(form, action=path_for("$many_path"), class="card") %}
  {{ f.field("name") }}
  {{ f.submit("Add $words") }}
{% endcall %}
### custom
{% set title = "$action_title" %}
<h1>{{ title }}</h1>

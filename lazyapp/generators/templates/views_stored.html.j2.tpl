### index
{% set title = "$many_title" %}
<h1>$many_title</h1>

<table id="$many">
  <thead><tr>$heads</tr></thead>
  <tbody>
    {% for $one in $many %}
    <tr>
$cells
    </tr>
    {% else %}
    <tr><td colspan="$width">None yet.</td></tr>
    {% endfor %}
  </tbody>
</table>
$add_link
### show
{% set title = $label %}
<h1>{{ title }}</h1>

$facts
$change_link
### new
{% set title = "Add $a_one" %}
<h1>{{ title }}</h1>

{% call(f) form_for(form, action=path_for("$many_path"), class="card") %}
  {{ partial("fields", f=f) }}
  {{ f.submit("Add $words") }}
{% endcall %}
### edit
{% set title = "Change the $words" %}
<h1>{{ title }}</h1>

{% call(f) form_for(form, action=path_for("$one_path", id=$one.id), method="patch", values=$one, class="card") %}
  {{ partial("fields", f=f) }}
  {{ f.submit("Save $words") }}
{% endcall %}
### _fields
$fields

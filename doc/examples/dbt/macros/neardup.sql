{#- SQL of neardup for dbt: README.md of this folder. Each macro writes one query, without a semicolon. -#}

{#- A literal: none is NULL, numbers and booleans are as they are, all else is text. -#}
{% macro neardup_literal(value) -%}
{%- if value is none -%} NULL
{%- elif value is boolean -%} {{ value | lower }}
{%- elif value is number -%} {{ value }}
{%- else -%} '{{ value | string | replace("'", "''") }}'
{%- endif -%}
{%- endmacro %}

{#- A column's name, which dbt hands to tests in double quotes where the column asks for them. -#}
{% macro neardup_name(column) -%}
{{ column[1:-1] if column[0] == '"' else column }}
{%- endmacro %}

{#- Those of these arguments that are given, each after a comma and with its name. -#}
{% macro neardup_given(arguments) -%}
{%- for name, value in arguments.items() if value is not none -%}
, {{ name }} => {{ neardup_literal(value) }}
{%- endfor -%}
{%- endmacro %}

{#- A call's function and opening bracket; keys that are no integers take the other function. -#}
{% macro neardup_call(function, key_type) -%}
{{ function }}{% if key_type is not none %}_keyed(NULL::{{ key_type }}, {% else %}({% endif %}
{%- endmacro %}

{#- A query of a key and expressions over the columns of a relation, as a literal. -#}
{% macro neardup_query(relation, key, expressions) -%}
{{ neardup_literal("SELECT " ~ adapter.quote(neardup_name(key)) ~ ", " ~ expressions | join(", ") ~ " FROM " ~ relation) }}
{%- endmacro %}

{% macro near_duplicates(relation, key, text, threshold=none, tokens=none, keep=none, mode=none, measure=none,
                         within=none, except_pairs=none, key_type=none) -%}
SELECT id, duplicate_of, similarity, kind, cluster
FROM {{ neardup_call('near_duplicates', key_type) }}{{ neardup_literal(relation) }}, {{ neardup_literal(neardup_name(key)) }},
    {{ neardup_literal(neardup_name(text)) }}, {{ neardup_literal(threshold) }}
    {{- neardup_given({'tokens': tokens, 'keep': keep, 'mode': mode, 'measure': measure, 'within': within, 'except_pairs': except_pairs}) }})
{%- endmacro %}

{% macro similarity_join(relation, key, tokens, threshold, measure=none, against=none, against_key=none,
                         against_tokens=none, key_type=none) -%}
SELECT a, b, similarity
FROM {{ neardup_call('ppjoin', key_type) }}{{ neardup_query(relation, key, [tokens]) }},
    {{ neardup_literal(threshold) }}{{ neardup_given({'measure': measure}) }}
    {%- if against is not none -%}
    , against => {{ neardup_query(against, against_key or key, [against_tokens or tokens]) }}
    {%- endif %})
{%- endmacro %}

{% macro link_tables(relation_a, relation_b, key, text, other=none, key_b=none, text_b=none, other_b=none,
                     one_to_one=none, except_pairs=none, key_type=none) -%}
SELECT a, b, similarity, score
FROM {{ neardup_call('link_tables', key_type) }}{{ neardup_query(relation_a, key, [text, other] | select | list) }},
    {{ neardup_query(relation_b, key_b or key, [text_b or text, other_b or other] | select | list) }}
    {{- neardup_given({'one_to_one': one_to_one, 'except_pairs': except_pairs}) }})
{%- endmacro %}

{% test no_near_duplicates(model, column_name, key, threshold=0.8, tokens=none, measure=none, within=none,
                           except_pairs=none, key_type=none) -%}
{{ near_duplicates(model, key, column_name, threshold, tokens=tokens, measure=measure, within=within,
                   except_pairs=except_pairs, key_type=key_type) }}
{%- endtest %}

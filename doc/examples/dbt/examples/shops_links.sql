{{ config(materialized='table') }}
{{ neardup.link_tables(ref('shops_a'), ref('shops_b'), key='id', text='name', other="concat_ws(', ', street, city)", one_to_one=false) }}

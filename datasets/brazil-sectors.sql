-- Sectors of Brazil's municipalities: the first five digits of their postal codes, as ranges.
WITH counted AS (
  SELECT substr(cep, 1, 5) AS sector, CAST(ibge AS INTEGER) AS ibge, count(*) AS codes FROM ceps WHERE cep < '99999' GROUP BY 1, 2
), weighed AS (
  SELECT *, sum(codes) OVER (PARTITION BY ibge) AS total, sum(codes) OVER (PARTITION BY substr(sector, 1, 2), ibge) AS region,
    sum(codes) OVER (PARTITION BY substr(sector, 1, 3), ibge) AS around, sum(codes) OVER (PARTITION BY substr(sector, 1, 4), ibge) AS beside
  FROM counted
), owned AS (
  SELECT sector, ibge FROM (
    SELECT *, row_number() OVER (PARTITION BY sector ORDER BY codes DESC, beside DESC, around DESC, ibge) AS place FROM weighed
  -- One code far from all others is that of a district with the municipality's name.
  ) WHERE place = 1 AND (region > 1 OR total = 1)
), ranged AS (
  SELECT ibge, sector, sector - row_number() OVER (PARTITION BY ibge ORDER BY sector) AS range FROM owned
), ranges AS (
  SELECT ibge, min(sector) AS first, max(sector) AS last FROM ranged GROUP BY ibge, range
)
SELECT uf, name, round(latitude, 3), round(longitude, 3),
  group_concat(CASE first WHEN last THEN first ELSE first || '-' || last END, ' ')
FROM (SELECT * FROM ranges ORDER BY ibge, first) JOIN municipios ON ibge_code = ibge GROUP BY ibge ORDER BY uf, name;

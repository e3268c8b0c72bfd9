# A server of Debian with the extension, built from the packages that debian/ makes:
#
#   docker build -t neardup .
#   docker run -d -e POSTGRES_PASSWORD=secret -p 5432:5432 -v neardup:/var/lib/postgresql neardup
#
# The database postgres of a new volume has the extension already.
FROM debian:trixie-slim AS build
RUN apt-get -q update && apt-get -q -y install --no-install-recommends \
        build-essential debhelper libicu-dev libutf8proc-dev libxxhash-dev postgresql-all
COPY . /build/neardup
WORKDIR /build/neardup
RUN pg_buildext updatecontrol && DEB_BUILD_OPTIONS=nocheck dpkg-buildpackage -b -us -uc

FROM debian:trixie-slim
COPY --from=build /build/*.deb /packages/
RUN mkdir -p /etc/postgresql-common/createcluster.d && \
    echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.d/image.conf && \
    apt-get -q update && \
    apt-get -q -y install --no-install-recommends postgresql /packages/postgresql-*-neardup_*.deb && \
    rm -rf /packages /var/lib/apt/lists/*
COPY debian/image-server /usr/local/bin/image-server
USER postgres
WORKDIR /var/lib/postgresql
VOLUME /var/lib/postgresql
EXPOSE 5432
STOPSIGNAL SIGINT
CMD ["image-server"]

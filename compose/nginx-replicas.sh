#!/bin/sh
# Runs nginx with the settings for replicas, in a container whose file system is read-only: what it writes is in /tmp.
#   nginx-replicas.sh FILE FIRST:PORT SECOND:PORT
set -eu
dir="${NGINX_DIR:-/tmp}"
sed -e "s/127\.0\.0\.1:8001/$2/" -e "s/127\.0\.0\.1:8002/$3/" -e "s/listen 127\.0\.0\.1:8000/listen ${NGINX_LISTEN:-8080}/" "$1" > "$dir/replicas.conf"
cat > "$dir/nginx.conf" <<END
pid $dir/nginx.pid;
error_log stderr warn;
worker_processes auto;
events { worker_connections 4096; }
http {
    access_log off;
    server_tokens off;
    client_body_temp_path $dir/body;
    proxy_temp_path $dir/proxy;
    fastcgi_temp_path $dir/fastcgi;
    uwsgi_temp_path $dir/uwsgi;
    scgi_temp_path $dir/scgi;
    include $dir/replicas.conf;
}
END
exec nginx -e stderr -g 'daemon off;' -c "$dir/nginx.conf"

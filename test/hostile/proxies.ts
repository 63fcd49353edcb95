/** nginx and HAProxy as Debian packages them, with connections to the server kept open. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { freePort } from '../../bench/service.ts'
import { startProgram } from '../support/programs.ts'

export const PROXIES = ['nginx', 'haproxy'] as const
export type ProxyName = (typeof PROXIES)[number]

/** Starts a proxy of `port` until the test ends. @returns the port of the proxy */
export async function startProxy(t: Test, name: ProxyName, port: number): Promise<number> {
  const folder = t.testdir()
  const listening = await freePort()
  const file = join(folder, `${name}.conf`)
  writeFileSync(file, name === 'nginx' ? nginx(folder, listening, port) : haproxy(listening, port))
  const args = name === 'nginx' ? ['-p', folder, '-c', file, '-e', 'stderr'] : ['-f', file, '-db', '-q']
  await startProgram(t, name, args, listening)
  return listening
}

const nginx = (folder: string, listening: number, port: number) => `
daemon off; master_process off; worker_processes 1;
pid ${folder}/nginx.pid;
events { worker_connections 1000; }
http {
  access_log off;
  client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder};
  uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
  underscores_in_headers on; ignore_invalid_headers off;
  upstream api { server 127.0.0.1:${port}; keepalive 4; }
  client_header_timeout 1s; client_body_timeout 1s; lingering_close off;
  server {
    listen 127.0.0.1:${listening};
    location / {
      proxy_pass http://api;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_ignore_client_abort on;
      proxy_request_buffering off;
      proxy_next_upstream off;
      proxy_read_timeout 500ms;
    }
  }
}
`

const haproxy = (listening: number, port: number) => `
defaults
  mode http
  timeout connect 5s
  timeout client 500ms
  timeout server 500ms
  timeout http-request 500ms
  http-reuse always
  retries 0
frontend front
  bind 127.0.0.1:${listening}
  default_backend api
backend api
  server one 127.0.0.1:${port}
`

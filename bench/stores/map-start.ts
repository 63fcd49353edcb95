/** A server that loads a `Map` of every code before it answers: `node map-start.js <port>`, with INDEX_FILE in the environment. */
import { createServer } from 'node:http'
import { openIndex } from '../../src/index/open-index.ts'
import { mapOf } from './map-store.ts'

const codes = mapOf(openIndex(process.env.INDEX_FILE as string))
createServer((_req, res) => res.end(String(codes.size))).listen(Number(process.argv[2]), '127.0.0.1')

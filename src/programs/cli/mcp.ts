/** `postrie mcp`: serves tools to agents, over standard input and output or over HTTP. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Command } from 'commander'
import { EXIT, UsageError } from '../../platform/exit.ts'
import { clientUrl } from '../../platform/server-address.ts'
import { ENDPOINT_LIST } from '../../service/endpoints/table.ts'
import { codeSource } from '../code-source.ts'
import { addGroup, createNumberParser, REMOTE_OPTION } from './add-command.ts'

const TOKEN_VARIABLE = 'POSTRIE_MCP_TOKEN'

const HELP = `
Agents start the command and talk over standard input and output. With --http it listens at /mcp instead, for this machine
only. Another address in --host needs ${TOKEN_VARIABLE}: agents then send it as 'Authorization: Bearer …'.
The tools are
  ${ENDPOINT_LIST.flatMap(({ tool }) => tool?.name ?? []).join('\n  ')}
`
const DEFAULT_HOST = '127.0.0.1'
const LOOPBACK = [DEFAULT_HOST, '::1', 'localhost']

interface McpFlags {
  http?: number
  host: string
  remote?: string
}

export function addCommands(program: Command): void {
  addGroup(program, 'mcp', {
    summary: 'answer agents that speak the Model Context Protocol',
    example: 'INDEX_FILE=data/index.postrie postrie mcp',
    help: HELP,
  })
    .option('--http <port>', 'listen on this port instead; 0 takes a free one', createNumberParser(0, 65_535))
    .option('--host <address>', 'listen at this address', DEFAULT_HOST)
    .addOption(REMOTE_OPTION)
    .action(async ({ http, host, remote }: McpFlags) => {
      const source = await codeSource(remote)
      if (http === undefined) {
        if (host !== DEFAULT_HOST) throw new UsageError('--host needs --http, the port to listen on')
        const [{ createMcpServer }, { serveStdio }] = await Promise.all([
          import('../mcp/tools.ts'),
          import('@modelcontextprotocol/server/stdio'),
        ])
        const server = serveStdio(() => createMcpServer(source))
        // The agent closes standard input when it is done.
        await once(process.stdin, 'close')
        await server.close()
        return
      }
      const token = process.env[TOKEN_VARIABLE] || undefined
      if (token === undefined && !LOOPBACK.includes(host))
        throw new UsageError(
          `--host is ${host}, which other machines can reach: set ${TOKEN_VARIABLE} to a token for agents`,
        )
      const { serveMcp } = await import('../mcp/http.ts')
      const server = await serveMcp(source, { host, port: http, token })
      const { port } = server.address() as AddressInfo
      process.stdout.write(`postrie answers agents at ${clientUrl(host, port)}/mcp\n`)
      await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
      server.closeAllConnections()
      server.close()
      process.exitCode = EXIT.ok
    })
}

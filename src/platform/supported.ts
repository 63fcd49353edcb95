/** Whether the HTTP server's binaries run on this machine, checked before anything that takes time. */
import { glibcVersion } from './libc.ts'

/** What decides it. */
export interface Machine {
  /** `process.versions.node`: `20.20.2`. */
  node: string
  /** `process.platform`. */
  platform: NodeJS.Platform
  /** Version of the GNU C library, `2.36`; undefined where there is another one (musl) or none. */
  glibc: string | undefined
}

/** Major versions of Node.js that uWebSockets.js has a binary for, with the oldest minor and the oldest glibc that work. */
const NODE_VERSIONS: Readonly<Record<number, { minor: number; glibc: string }>> = {
  20: { minor: 18, glibc: '2.27' },
  22: { minor: 0, glibc: '2.38' },
  24: { minor: 0, glibc: '2.38' },
  25: { minor: 0, glibc: '2.38' },
}

const SUPPORTED =
  'Supported are Node.js 24, 22 and 25 on Linux with glibc 2.38 or later (Debian 13, Ubuntu 24.04), and Node.js 20.18 or later on Linux with glibc 2.27 or later (Debian 12).'

/** Why the service cannot run on `machine`, with the remedy, or null when it can. macOS is let through untested. */
export function whyUnsupported({ node, platform, glibc }: Machine): string | null {
  const [major, minor] = node.split('.').map(Number)
  const needed = NODE_VERSIONS[major]
  if (platform !== 'linux' && platform !== 'darwin')
    return `postrie does not run on ${platform}. ${SUPPORTED}`
  if (needed === undefined || minor < needed.minor)
    return `postrie does not run on Node.js ${node}. ${SUPPORTED}`
  if (platform === 'darwin') return null
  if (glibc === undefined) return `postrie does not run without glibc, as on Alpine (musl). ${SUPPORTED}`
  if (isOlder(glibc, needed.glibc)) {
    return `Node.js ${node} needs glibc ${needed.glibc} for postrie, and this system has ${glibc}. ${SUPPORTED}`
  }
  return null
}

/** This machine. On Linux it loads koffi, which a server needs in any case. */
export function thisMachine(): Machine {
  const { platform, versions } = process
  return { node: versions.node, platform, glibc: platform === 'linux' ? installedGlibc() : undefined }
}

function installedGlibc(): string | undefined {
  try {
    return glibcVersion()
  } catch {
    return reportedGlibc()
  }
}

/** The same without koffi. Takes ten times as long, since it comes only as part of a diagnostic report. */
export function reportedGlibc(): string | undefined {
  const { header } = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } }
  return header.glibcVersionRuntime
}

function isOlder(version: string, than: string): boolean {
  const [major, minor] = version.split('.').map(Number)
  const [thanMajor, thanMinor] = than.split('.').map(Number)
  return major < thanMajor || (major === thanMajor && minor < thanMinor)
}

#!/usr/bin/env node
import { main } from './programs/cli/main.ts'

process.exitCode = await main(process.argv)

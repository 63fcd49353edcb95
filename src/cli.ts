#!/usr/bin/env node
console.error('postrie: not yet')
process.exitCode = 1

/** Commands of the index builder with their descriptions, for the builder and the command line. */
export const BUILDER_COMMANDS = {
  build: 'build the index from the installed datasets and further sources',
  coverage: 'list the countries of the index: codes, places, completeness, sources, licences',
  diff: 'compare two index files',
  'verify-index': 'check every checksum and every key of an index file',
} as const

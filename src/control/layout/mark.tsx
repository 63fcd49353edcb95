/** The mark: a small trie whose last branch is found. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
      <path d="M12 4 6 12m6-8 6 8m0 0-4 8m4-8 4 8M6 12l-4 8m4-8 4 8" />
      <circle cx="12" cy="4" r="2.4" />
      <circle cx="18" cy="12" r="2.4" />
      <circle class="found" cx="14" cy="20" r="2.8" />
    </svg>
  )
}

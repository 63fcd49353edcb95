/** What a new account does first: three steps, each ticked while the page is open as soon as it is done. */
import { Page } from '../layout/page.tsx'
import { Copyable, Fact, Form, Section } from '../layout/parts.tsx'
import { FREE_QUERIES } from '../layout/words.ts'
import type { Figures } from '../reports/figures.ts'
import type { PageContext } from '../shell/dashboard.ts'

interface FirstStepsProps {
  c: PageContext
  figures: Figures
  /** A line for a shell that asks with `key`. */
  curlOf: (key: string) => string
}

export function FirstSteps({ c, figures, curlOf }: FirstStepsProps) {
  const fresh = c.var.session.take('freshKey')
  const hasKey = c.var.account.activeKeys > 0
  return (
    <Page
      c={c}
      title="Overview"
      lead={`Three steps to your first answer. The first ${FREE_QUERIES} queries are free.`}
      scripts={['live.js', 'copy.js']}
    >
      <Section title="First steps">
        <ol class="steps">
          <li>
            <h3>
              Create an API key <Tick figures={figures} name="stepKey" />
            </h3>
            {fresh !== undefined && (
              <>
                <p>
                  Copy it now. <strong>It is not shown again.</strong>
                </p>
                <Copyable wide text={fresh.key} label="Copy the key" />
              </>
            )}
            {!hasKey && (
              <Form c={c} action="/keys">
                <input type="hidden" name="from" value="overview" />
                <input type="hidden" name="label" value="first" />
                <button type="submit" class="primary">
                  Create New Key
                </button>
              </Form>
            )}
            {hasKey && fresh === undefined && (
              <p class="muted">
                The key itself was shown when it was made. Lost it? <a href="/keys">Create another</a>
              </p>
            )}
          </li>
          <li>
            <h3>
              Ask for a postal code <Tick figures={figures} name="stepAnswer" />
            </h3>
            <p>
              In a terminal{fresh === undefined ? ', with your key in place of <your key>' : ''}, or on{' '}
              <a href="/try">Try it</a>:
            </p>
            <Copyable wide label="Copy the command" text={curlOf(fresh?.key ?? '<your key>')} />
          </li>
          <li>
            <h3>
              See the first answer <Tick figures={figures} name="stepAnswer" />
            </h3>
            <p class="muted" data-live="firstAnswer">
              {figures.firstAnswer}
            </p>
          </li>
        </ol>
        <a class="button primary onward" href="/">
          Go to your figures
        </a>
      </Section>
      <dl class="facts">
        <Fact
          name="Balance"
          live="balance"
          exact={['balanceExact', figures.balanceExact]}
          hint={<span data-live="queriesLeft">{figures.queriesLeft}</span>}
        >
          {figures.balance}
        </Fact>
      </dl>
    </Page>
  )
}

/** Empty until the step is done: the style sheet shows what it says as a tick. */
function Tick({ figures, name }: { figures: Figures; name: 'stepKey' | 'stepAnswer' }) {
  return (
    <span class="tick tag good" data-live={name}>
      {figures[name]}
    </span>
  )
}

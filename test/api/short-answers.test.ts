/** Kept suggestions: bounded, forgotten with their index, and the same as those that are found. */
import t from 'tap'
import { ShortAnswers } from '../../src/api/response/short-answers.ts'
import type { PostalIndex } from '../../src/index/postal-index.ts'
import { startApp } from '../support/app.ts'
import { post } from '../support/post.ts'

const [one, other] = [{}, {}] as PostalIndex[]

t.test('answers are kept within a bound of bytes', async t => {
  const answers = new ShortAnswers(10_000)
  const answer = new Uint8Array(1000).fill(7)
  for (let i = 0; i < 100; i++) {
    t.equal(answers.get(one, `US${i}`), undefined)
    answers.keep(`US${i}`, answer)
    t.same(answers.get(one, `US${i}`), answer)
    const kept = Array.from({ length: 100 }, (_, j) => answers.get(one, `US${j}`)).filter(Boolean)
    t.ok(kept.length * answer.length < 10_000)
  }
  answers.keep('US', new Uint8Array(10_000))
  t.equal(answers.get(one, 'US'), undefined, 'one that is larger than the bound is not kept')
})

t.test('an answer is a copy, and is forgotten with its index', async t => {
  const answers = new ShortAnswers()
  const buffer = Uint8Array.of(1, 2, 3)
  answers.get(one, 'USa')
  answers.keep('USa', buffer)
  buffer.fill(0)
  t.same(answers.get(one, 'USa'), [1, 2, 3])
  t.equal(answers.get(other, 'USa'), undefined)
  t.equal(answers.get(one, 'USa'), undefined)
})

t.test('the second answer is the first, for each country, text and limit, and is charged', async t => {
  const app = await startApp(t)
  const ask = async (body: object) => {
    const before = app.spentMicros()
    const { json } = await post(app.baseUrl, '/api/autocomplete', { ...body, apiKey: app.key })
    t.ok(app.spentMicros() > before)
    return { codes: json.codes, places: json.places }
  }
  const questions = [
    { query: 's' },
    { query: 'S' },
    { query: '9' },
    { query: 's', limit: 2 },
    { query: 's', country: 'GB' },
    { query: 'é' },
    { query: '"' },
    { query: '\\' },
  ]
  const first = []
  for (const question of questions) first.push(await ask(question))
  for (const [i, question] of [...questions.entries()].reverse()) t.same(await ask(question), first[i])
  t.ok(first[0].places.length >= 2)
  t.equal(first[3].places.length, 2)
  t.notSame(first[0], first[4])
})

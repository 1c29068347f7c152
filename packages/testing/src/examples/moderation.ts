import { expect } from 'vitest'
import { patiently, say, type Tour } from './tour.ts'

const rule = (ruleId: string) => ({ params: { ruleId } })

export async function showRules({ show, appId }: Tour): Promise<void> {
  const adverts = rule('no-adverts')
  await show.createRule({
    body: {
      id: 'no-adverts',
      name: 'No adverts',
      description: 'Blocks what sellers of watches say.',
      conditions: [{ operand: 'text', category: 'word', value: 'cheap watches, free money' }],
      action: ['blockMessage'],
    },
  })
  await show.listRules({ query: { limit: 1 } })
  await show.getRule(adverts)
  await show.updateRule({ ...adverts, body: { name: 'No adverts of watches' } })
  await show.listRuleRevisions({ ...adverts, query: { limit: 1 } })
  const params = { ...adverts.params, revisionId: `${appId}_no-adverts_1` }
  await show.getRuleRevision({ params })
  await show.restoreRule({ params })
}

export async function showRulesOfApp({ show, appId }: Tour): Promise<void> {
  const links = { params: { appId, ruleId: 'no-links' } } as const
  await show.createRuleOfApp({
    params: { appId },
    body: {
      id: 'no-links',
      name: 'No links',
      conditions: [{ operand: 'text', category: 'pattern', value: 'https?://' }],
      action: ['flagMessage'],
    },
  })
  await show.listRulesOfApp({ params: { appId }, query: { limit: 1 } })
  await show.getRuleOfApp(links)
  await show.updateRuleOfApp({ ...links, body: { enabled: false } })
  await show.listRuleRevisionsOfApp({ ...links, query: { limit: 1 } })
  const params = { ...links.params, revisionId: `${appId}_no-links_1` }
  await show.getRuleRevisionOfApp({ params })
  await show.restoreRuleOfApp({ params })
  await show.deleteRuleOfApp(links)
}

export async function showKeywordLists({ show, call, appId }: Tour): Promise<void> {
  const form = {
    id: 'rude',
    name: 'Rude words',
    category: 'word',
    searchTerms: 'blast, bother',
  } as const
  const longer = { category: 'word', searchTerms: 'blast, bother, "oh, dear"' } as const
  const one = { params: { keywordId: 'rude' } } as const
  await show.createKeywordList({ form })
  await show.getKeywordList(one)
  await show.updateKeywordList({ ...one, form: longer })
  await show.deleteKeywordList(one)
  const ofApp = { params: { appId, keywordId: 'rude' } } as const
  await show.createKeywordListOfApp({ params: { appId }, form })
  await show.getKeywordListOfApp(ofApp)
  await show.updateKeywordListOfApp({ ...ofApp, form: longer })
  // Those that every app has come first, and are long.
  const { meta } = await call.listKeywordLists({ query: { limit: 100 } })
  const query = { limit: 1, page: meta.current.count }
  await show.listKeywordLists({ query })
  await show.listKeywordListsOfApp({ params: { appId }, query })
  await show.deleteKeywordListOfApp(ofApp)
}

export async function showReasons({ show }: Tour): Promise<void> {
  const params = { id: 'off-topic' }
  const description = 'Does not belong in this group.'
  await show.createReason({ body: { id: 'off-topic', name: 'Off topic', description } })
  await show.listReasons({ query: { limit: 2 } })
  await show.updateReason({ params, body: { name: 'Not about books' } })
  await show.deleteReason({ params })
}

export async function showQueues(tour: Tour): Promise<void> {
  const { show, call, appId } = tour
  const waiting = async () => (await call.listBlockedMessages()).data.length
  await say(tour, 'david', 'chloe', 'I have cheap watches for you')
  await expect.poll(waiting, patiently).toBe(1)
  await show.listBlockedMessagesOfApp({ params: { appId }, query: { limit: 1 } })
  const { data } = await show.listBlockedMessages({ query: { limit: 1 } })
  const messageId = data[0]?.message.id ?? ''
  await show.reviewBlockedMessage({ params: { messageId }, body: { status: 'approved' } })
  await say(tour, 'david', 'ben', 'This is free money')
  await expect.poll(waiting, patiently).toBe(1)
  const [second] = (await call.listBlockedMessages()).data
  const params = { appId, messageId: second?.message.id ?? '' }
  await show.reviewBlockedMessageOfApp({ params, body: { status: 'disapproved' } })
  const id = await say(tour, 'david', 'hikers', 'Buy my book!', { receiverType: 'group' })
  const report = { reasonId: 'spam', remark: 'The third time today.' }
  await show.flagMessage({ params: { id }, onBehalfOf: 'chloe', body: report })
  await expect.poll(async () => (await call.listFlaggedMessages()).data.length, patiently).toBe(1)
  await show.listFlaggedMessages({ query: { limit: 1 } })
  await show.claimMessages({ body: { limit: 1, moderator: 'mo' } })
  await show.releaseMessages({ body: { moderator: 'mo' } })
  await show.reviewFlaggedMessage({ params: { id }, body: { status: 'disapproved' } })
  await show.listReviewedMessages({ query: { limit: 1 } })
}

export async function showDryRuns({ show, call }: Tour): Promise<void> {
  const { data } = await show.dryRunRule({ ...rule('no-adverts'), body: { days: 30 } })
  const params = { dryRunId: data.id }
  await expect
    .poll(async () => (await call.getDryRun({ params })).data.status, patiently)
    .toBe('done')
  await show.getDryRun({ params, query: { limit: 1 } })
  const draft = { name: 'Secrets', conditions: [{ value: 'password' }] }
  const { data: second } = await show.dryRunDraft({ body: { days: 7, draft } })
  const of = { params: { dryRunId: second.id } }
  await expect.poll(async () => (await call.getDryRun(of)).data.status, patiently).toBe('done')
  await show.cancelDryRun(of)
  await show.deleteRule(rule('no-adverts'))
}

export async function showSubmissions({ show, call }: Tour): Promise<void> {
  const { data } = await show.submitMessage({
    body: {
      muid: 'review-4711',
      sender: 'anna',
      receiver: 'ben',
      receiverType: 'user',
      data: { text: 'A book that I liked very much.' },
    },
  })
  const params = { id: data.id }
  const status = async () => (await call.getSubmission({ params })).data.data.moderation?.status
  await expect.poll(status, patiently).toBe('approved')
  await show.getSubmission({ params })
  await show.listSubmissions({ query: { limit: 1 } })
  await show.updateSubmission({ params, body: { data: { text: 'A book that I liked.' } } })
  await expect.poll(status, patiently).toBe('approved')
  await show.deleteSubmission({ params })
}

export * from './of-app.ts'
export * from './queues.ts'
export * from './reasons.ts'
export * from './submissions.ts'

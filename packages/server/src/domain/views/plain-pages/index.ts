export { type PlainPage, plainPageOf, serialisePlainPage } from './plain-page.ts'

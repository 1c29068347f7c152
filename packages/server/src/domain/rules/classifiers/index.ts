export {
  type Classification,
  type ClassificationJob,
  classificationQueue,
  type Edit,
  findRemarks,
  insertClassification,
  pendingClassifications,
  recordOutcome,
  takeDecided,
} from './classifications.sql.ts'
export { type ClassifierParts, type Consulted, consultClassifiers } from './classifiers.ts'

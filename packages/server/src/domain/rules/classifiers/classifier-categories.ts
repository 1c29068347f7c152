export function isClassifier(category: string): boolean {
  return category === 'customApi' || category === 'openai'
}

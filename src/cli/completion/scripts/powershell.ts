/** The script for PowerShell. */

export const powershellScript = `# PowerShell completion for sonde (untested: please report problems).
# To enable it in every shell, add this line to $PROFILE:  sonde completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName @('sonde', 'sonde.cmd', 'sonde.ps1') -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $encode = { param($text) [Convert]::ToBase64String([Text.Encoding]::UTF8.GetBytes($text)) }
  $text = $commandAst.Extent.Text
  $length = $cursorPosition - $commandAst.Extent.StartOffset
  $line = if ($length -gt $text.Length) { $text.PadRight($length) } else { $text.Substring(0, $length) }
  $program = $commandAst.CommandElements[0].Value
  if (-not (Get-Command $program -ErrorAction SilentlyContinue)) { $program = 'sonde' }
  $encoding = [Console]::OutputEncoding
  try {
    [Console]::OutputEncoding = [Text.Encoding]::UTF8
    # An empty argument is lost on its way to a program: '=' decodes to nothing.
    $word = if ($wordToComplete) { & $encode $wordToComplete } else { '=' }
    $lines = @(& $program __complete powershell (& $encode $line) $word 2>$null)
  } catch { return } finally { [Console]::OutputEncoding = $encoding }
  # Nothing at all has PowerShell offer files, which is what is wanted then.
  if ($lines.Count -lt 2 -or -not $lines[0].StartsWith('words')) { return }
  foreach ($each in $lines[1..($lines.Count - 1)]) {
    $value, $shown, $description = $each -split "\`t"
    [System.Management.Automation.CompletionResult]::new($value, $shown, 'ParameterValue', $description)
  }
}
`;

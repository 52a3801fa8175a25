// Puts the parts of the page together.

const charts = createCharts({
  data: JSON.parse(document.getElementById("data").textContent),
  shown: () => picker.shown(),
  showTooltip: createTooltip(),
});
const picker = createPicker({ onChange: charts.updateAll, onPoint: charts.pointAt });
createTrials({ charts });
const theme = createTheme({ charts });

picker.apply();
theme.repaint();
const newer = document.getElementById("newer");
if (newer) follow({ newer, picker, theme });

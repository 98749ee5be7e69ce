//! Labels at the ends of a plot's lines.

/// Positions of labels with a distance of at least `gap`: each as near to its line's end as the others leave room for,
/// between `low` and `high`.
pub(crate) fn apart(ends: &[f64], gap: f64, low: f64, high: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..ends.len()).collect();
    order.sort_by(|&a, &b| ends[a].total_cmp(&ends[b]));
    let mut places = ends.to_vec();
    let mut least = low;
    for &label in &order {
        places[label] = places[label].max(least);
        least = places[label] + gap;
    }
    let mut most = high;
    for &label in order.iter().rev() {
        places[label] = places[label].min(most);
        most = places[label] - gap;
    }
    places
}

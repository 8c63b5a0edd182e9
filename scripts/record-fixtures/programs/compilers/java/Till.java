import java.util.List;

public class Till {
  int total(List<Integer> lines) {
    return lines.sum();
  }

  int price = "17";
}
